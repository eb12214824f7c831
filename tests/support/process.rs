//! What the process has of the system: memory, handles, threads.

use std::time::{Duration, Instant};

/// Where the system says it: Linux.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// MiB of memory that is resident.
    pub memory: f64,
    /// Open files, sockets and the like.
    pub handles: usize,
    pub threads: usize,
}

impl Usage {
    pub fn now() -> Option<Usage> {
        let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
        let memory = pages.split(' ').nth(1)?.parse::<f64>().ok()? * 4096.0 / (1 << 20) as f64;
        let count = |folder: &str| std::fs::read_dir(folder).map(Iterator::count).ok();
        Some(Usage { memory, handles: count("/proc/self/fd")?, threads: count("/proc/self/task")? })
    }

    /// Once no more threads and handles are there than before, or after `patience`: what ends does so beside the program.
    pub fn settled(before: &Usage, patience: Duration) -> Option<Usage> {
        let began = Instant::now();
        loop {
            let now = Usage::now()?;
            if (now.threads <= before.threads && now.handles <= before.handles) || began.elapsed() > patience {
                return Some(now);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
