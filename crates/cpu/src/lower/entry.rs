//! The entry point: global variables, built-in values, and what private variables begin with.

use super::*;

impl<'a> Builder<'a> {
    /// Gives each global variable its place that the entry point uses: others may be of any size.
    pub(super) fn globals(&mut self, uses: &FunctionInfo, bindings: &[(u32, u32)]) -> Room<()> {
        for (handle, global) in self.module.global_variables.iter() {
            let own = matches!(global.space, AddressSpace::WorkGroup | AddressSpace::Private);
            if own && uses[handle].is_empty() {
                continue;
            }
            let name = global.name.clone().unwrap_or_default();
            let ty = self.types.inner(global.ty).clone();
            let of = self.names.len() as u32;
            self.names.push(name.clone());
            let space = match global.space {
                AddressSpace::Storage { .. } | AddressSpace::Uniform => {
                    let at = global.binding.as_ref().ok_or_else(|| format!("`{name}` has no binding"))?;
                    let window = bindings.iter().position(|&b| b == (at.group, at.binding));
                    self.buffers.push(Buffer { name, window });
                    Space::Buffer(self.buffers.len() as u32 - 1)
                }
                AddressSpace::Immediate => Space::Immediate,
                AddressSpace::WorkGroup => {
                    let (size, alignment) = self.types.layout(global.ty);
                    let start = self.workgroup_bytes.next_multiple_of(alignment.max(4));
                    let end = start as usize + size as usize;
                    if end > MOST_BYTES {
                        return Err(format!("its workgroup memory takes {end} bytes: wanted {MOST_BYTES} at most"));
                    }
                    self.workgroup_bytes = end as u32;
                    self.workgroup_names.push((name, start, size));
                    let place = Place { root: Root::Memory(Space::Workgroup, of), ty, offset: start, dynamic: NONE };
                    self.globals.insert(handle, Value::Place(place));
                    continue;
                }
                AddressSpace::Private => {
                    let variable = Rc::new(self.variable(&ty, true)?);
                    let place = Place { root: Root::Variable(variable, of), ty, offset: 0, dynamic: NONE };
                    self.globals.insert(handle, Value::Place(place));
                    continue;
                }
                // A texture, a sampler or the like: refused where it is used.
                _ => continue,
            };
            let place = Place { root: Root::Memory(space, of), ty, offset: 0, dynamic: NONE };
            self.globals.insert(handle, Value::Place(place));
        }
        Ok(())
    }

    /// Inlines the entry point.
    pub(super) fn entry(&mut self, index: usize) -> Outcome<()> {
        let module = self.module;
        let entry = &module.entry_points[index];
        self.init_private()?;
        let mut arguments = Vec::new();
        for argument in &entry.function.arguments {
            let words = match &argument.binding {
                Some(naga::Binding::BuiltIn(builtin)) => self.builtin(*builtin, entry.workgroup_size)?,
                _ => {
                    let mut words = Vec::new();
                    let Inner::Struct { members, .. } = self.types.inner(argument.ty) else {
                        return self.refuse("an argument of the entry point is no built-in value");
                    };
                    for member in members {
                        match &member.binding {
                            Some(naga::Binding::BuiltIn(b)) => words.extend(self.builtin(*b, entry.workgroup_size)?),
                            _ => return self.refuse("an argument of the entry point is no built-in value"),
                        }
                    }
                    words
                }
            };
            arguments.push(Value::Words(words.into()));
        }
        self.inline(&entry.function, self.info.get_entry_point(index), arguments)?;
        self.varying(Instr::End);
        Ok(())
    }

    pub(super) fn init_private(&mut self) -> Outcome<()> {
        let module = self.module;
        for (handle, global) in module.global_variables.iter() {
            let Some(Value::Place(Place { root: Root::Variable(variable, _), .. })) =
                self.globals.get(&handle).cloned()
            else {
                continue;
            };
            let init = match global.init {
                Some(init) => self.constant_expression(init)?,
                None => vec![self.constant(0); variable.len()],
            };
            for (&to, from) in variable.iter().zip(init) {
                self.set(to, from)?;
            }
        }
        Ok(())
    }

    pub(super) fn builtin(&mut self, builtin: BuiltIn, size: [u32; 3]) -> Outcome<Vec<Reg>> {
        let three = |make: fn(u8) -> Given| [0, 1, 2].map(make);
        let lanes: u32 = size.iter().product();
        Ok(match builtin {
            BuiltIn::LocalInvocationId => three(Given::LocalId).map(|g| self.given(g)).to_vec(),
            BuiltIn::LocalInvocationIndex => vec![self.given(Given::LocalIndex)],
            BuiltIn::WorkGroupId => three(Given::WorkgroupId).map(|g| self.given(g)).to_vec(),
            BuiltIn::NumWorkGroups => three(Given::Workgroups).map(|g| self.given(g)).to_vec(),
            BuiltIn::WorkGroupSize => size.map(|n| self.constant(n)).to_vec(),
            BuiltIn::GlobalInvocationId => {
                let mut words = vec![];
                for axis in 0..3u8 {
                    let group = self.given(Given::WorkgroupId(axis));
                    let size = self.constant(size[axis as usize]);
                    let local = self.given(Given::LocalId(axis));
                    words.push(self.tern(Tern::MulAddI32, group, size, local));
                }
                words
            }
            BuiltIn::SubgroupSize => vec![self.constant(self.types.subgroup)],
            BuiltIn::NumSubgroups => vec![self.constant(lanes.div_ceil(self.types.subgroup))],
            BuiltIn::SubgroupId => vec![self.given(Given::SubgroupId)],
            BuiltIn::SubgroupInvocationId => vec![self.given(Given::SubgroupLane)],
            other => return self.refuse(format!("{other:?} is not a built-in value of compute kernels")),
        })
    }
}
