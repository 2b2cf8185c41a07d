export const adapter = () => { throw new Error("stub"); };
