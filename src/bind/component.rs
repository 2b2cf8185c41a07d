//! The Component Model binding. `wit/` names its package; its worlds come with the interfaces.
