import {defineConfig} from "vite";

// The daemon carries the result in its binary and serves it under fixed names.
export default defineConfig({
  esbuild: {jsx: "automatic", jsxImportSource: "preact", legalComments: "none"},
  build: {
    target: "es2020",
    modulePreload: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 200,
    rollupOptions: {
      output: {
        entryFileNames: "app.js",
        assetFileNames: "app[extname]",
        inlineDynamicImports: true,
      },
    },
  },
  server: {proxy: {"/api": "http://127.0.0.1:7421", "/events": "http://127.0.0.1:7421"}},
});
