//! Views of nodes: the same elements in another order or shape, without a copy wherever strides can express it.

use super::expr::Expr;
use super::lineage::viewed;
use super::node::{Node, State, Storage};
use crosslane_core::layout::Layout;
use std::sync::Arc;

/// A view of the node with `axis` last, and the order of axes that undoes the move.
pub(crate) fn axis_last(node: &Arc<Node>, axis: usize) -> (Arc<Node>, Vec<usize>) {
    let order: Vec<usize> = (0..node.shape.len()).filter(|&a| a != axis).chain([axis]).collect();
    let back = |a: usize| order.iter().position(|&b| a == b).expect("a permutation");
    let back = (0..order.len()).map(back).collect();
    (view(node, &|layout| Some(layout.permute(&order))), back)
}

/// A node under a change of layout. `change` gives `None` where strides cannot express the change, which never happens
/// for a contiguous layout.
pub(crate) fn view(node: &Arc<Node>, change: &dyn Fn(&Layout) -> Option<Layout>) -> Arc<Node> {
    let contiguous = || change(&Layout::contiguous(&node.shape)).expect("a contiguous layout can be viewed in any way");
    let lazy = |shape: Vec<usize>, expr: Expr| Node::lazy(&node.device, shape, node.dtype, expr);
    let copied = || {
        let layout = contiguous();
        let copy = lazy(node.shape.clone(), Expr::Copy(node.clone()));
        lazy(layout.shape.clone(), Expr::View(copy, layout))
    };
    match &*node.state() {
        State::Failed(error) => Node::failed(&node.device, node.dtype, error.clone()),
        State::Ready(storage) => match change(&storage.layout) {
            Some(layout) => {
                let view = Node::ready(&node.device, node.dtype, Storage { layout, ..storage.clone() });
                node.lineage().into_iter().for_each(|of| view.set_lineage(viewed(of, change)));
                view
            }
            None => copied(),
        },
        State::Lazy(expr) => match expr {
            Expr::Constant(scalar) => lazy(contiguous().shape, Expr::Constant(*scalar)),
            Expr::Index(layout) => match change(layout) {
                Some(layout) => lazy(layout.shape.clone(), Expr::Index(layout)),
                None => copied(),
            },
            Expr::View(of, layout) => match change(layout) {
                Some(layout) => lazy(layout.shape.clone(), Expr::View(of.clone(), layout)),
                None => copied(),
            },
            // The view moves to the inputs, so that the function stays in one kernel with what follows.
            Expr::Call(function, args) if !grows_costly(node, &contiguous()) => {
                let args = args.iter().map(|arg| view(arg, change)).collect();
                node.as_often_computed(lazy(contiguous().shape, Expr::Call(*function, args)))
            }
            Expr::Formula(formula, args) if !grows_costly(node, &contiguous()) => {
                let args = args.iter().map(|arg| view(arg, change)).collect();
                node.as_often_computed(lazy(contiguous().shape, Expr::Formula(formula.clone(), args)))
            }
            Expr::Cast(input) if !grows_costly(node, &contiguous()) => {
                node.as_often_computed(lazy(contiguous().shape, Expr::Cast(view(input, change))))
            }
            _ => lazy(contiguous().shape, Expr::View(node.clone(), contiguous())),
        },
    }
}

/// Whether the view repeats elements that are costly to compute: these are better materialised once.
fn grows_costly(node: &Node, view: &Layout) -> bool {
    view.len() > node.len() && node.costly()
}

/// The node repeated to a shape it is known to fit.
pub(crate) fn broadcast(node: &Arc<Node>, shape: &[usize]) -> Arc<Node> {
    if node.shape == shape { node.clone() } else { view(node, &|layout| layout.broadcast(shape)) }
}
