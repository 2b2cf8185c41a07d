// Where nothing says which runtime it is: as in a browser.

export * from "./browser.mjs";
