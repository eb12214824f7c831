//! `#[derive(Parameters)]`: the fields of a structure, as constants.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Error, Fields, Result};

/// The implementation for a structure with named fields and `#[repr(C)]`.
pub fn derive(item: &DeriveInput) -> Result<TokenStream> {
    let name = &item.ident;
    let Data::Struct(data) = &item.data else {
        return Err(Error::new_spanned(name, "Parameters: a structure is wanted"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(name, "Parameters: fields with the names of WGSL's members are wanted"));
    };
    if !item.generics.params.is_empty() {
        return Err(Error::new_spanned(&item.generics, "Parameters: WGSL knows no generic structures"));
    }
    if !item.attrs.iter().any(is_repr_c) {
        return Err(Error::new_spanned(name, "Parameters: #[repr(C)] is wanted, for Rust may reorder fields without"));
    }
    let mut described = vec![];
    for field in &fields.named {
        let (ident, ty) = (field.ident.as_ref().expect("a named field"), &field.ty);
        let text = ident.to_string();
        let text = text.strip_prefix("r#").unwrap_or(&text);
        if !text.starts_with('_') {
            described.push(quote! {
                ::crosslane::kernel::Field {
                    name: #text,
                    ty: <#ty as ::crosslane::Parameters>::TYPE,
                    offset: ::core::mem::offset_of!(#name, #ident),
                }
            });
        }
    }
    let text = name.to_string();
    Ok(quote! {
        impl ::crosslane::Parameters for #name {
            const TYPE: ::crosslane::kernel::HostType = ::crosslane::kernel::HostType::Structure {
                name: #text,
                fields: &[#(#described),*],
                bytes: ::core::mem::size_of::<#name>(),
            };
        }
    })
}

fn is_repr_c(attribute: &Attribute) -> bool {
    let mut found = false;
    if attribute.path().is_ident("repr") {
        // What else stands there is for the compiler to judge.
        let _ = attribute.parse_nested_meta(|meta| {
            found |= meta.path.is_ident("C") || meta.path.is_ident("transparent");
            if meta.input.peek(syn::token::Paren) {
                meta.parse_nested_meta(|_| Ok(()))?;
            }
            Ok(())
        });
    }
    found
}
