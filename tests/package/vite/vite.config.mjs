// Before Vite 8 the optimizer moves the package's code away from the module that lies beside it.
export default {
  optimizeDeps: { exclude: ["lastword"] },
};
