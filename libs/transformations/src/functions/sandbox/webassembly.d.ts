/** The parts of the global that are used here; TypeScript declares them in its DOM library only. */
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: string;
  }
  const Module: new (bytes: Uint8Array<ArrayBuffer>) => Module;
  interface Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  const Memory: { readonly prototype: Memory };
  interface Instance {
    readonly exports: Readonly<Record<string, unknown>>;
  }
  const Instance: new (
    module: Module,
    imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ) => Instance;
}
