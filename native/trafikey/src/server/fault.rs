//! An error that ends an act.

/// The text of an error, its class first, without the mark that stands before it on the wire.
#[derive(Debug)]
pub struct Fault(Box<[u8]>);

impl Fault {
    pub fn new(text: &[u8]) -> Self {
        Fault(text.into())
    }

    pub fn wrong_type() -> Self {
        Fault::new(b"WRONGTYPE Operation against a key holding the wrong kind of value")
    }

    pub fn text(&self) -> &[u8] {
        &self.0
    }
}
