import type { IRouter } from 'express';

interface Route {
  readonly path: RegExp;
  readonly methods: ReadonlySet<string>;
}

/** What the API can be asked. Asked itself before anything else, so that an unknown route is one for everybody. */
export class Routes {
  private readonly routes: readonly Route[];

  constructor(router: IRouter) {
    this.routes = router.stack.flatMap(({ route }) => {
      if (route === undefined) return [];
      const methods = route.stack.map(({ method }) => method.toUpperCase());
      return [{ path: patternOf(route.path), methods: new Set(methods) }];
    });
  }

  /** @returns the methods that the path takes; none when there is no such path. */
  methodsAt(url: string): readonly string[] {
    const path = url.split('?', 1)[0] ?? '';
    if (!isDecodable(path)) return [];
    const methods = this.routes
      .filter((route) => route.path.test(path))
      .flatMap((route) => [...route.methods]);
    return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)))];
  }
}

/** `/v1/pipelines/:id` matches one step in the place of `:id`. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`);

const isDecodable = (path: string): boolean => {
  try {
    return decodeURIComponent(path) !== '';
  } catch {
    return false;
  }
};
