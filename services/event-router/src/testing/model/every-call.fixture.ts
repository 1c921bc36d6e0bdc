/** The same object, each of whose methods is called by way of `call`. */
export const everyCall = <Port extends object>(
  own: Port,
  call: <T>(work: () => Promise<T>) => Promise<T>,
): Port =>
  new Proxy(own, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as (...all: unknown[]) => Promise<unknown>;
      return (...all: unknown[]) => call(() => method.apply(target, all));
    },
  });
