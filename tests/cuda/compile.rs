//! NVRTC compiles the text of every kernel for every architecture. It needs no card.
