import type { IRouter } from 'express';

interface Route {
  /** As it was declared, each parameter as `:`. */
  readonly form: string;
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
      return [{ form: formOf(route.path), path: patternOf(route.path), methods: new Set(methods) }];
    });
  }

  /** @returns the methods that the path takes; none when there is no such path. */
  methodsAt(url: string): readonly string[] {
    const path = url.split('?', 1)[0] ?? '';
    if (!isDecodable(path)) return [];
    const found = this.routes.filter((route) => route.path.test(path));
    const [{ form } = { form: '' }] = found.sort(mostSpecificFirst);
    const methods = found.flatMap((route) => (route.form === form ? [...route.methods] : []));
    return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)))];
  }
}

const formOf = (path: string): string => path.replace(/:\w+/g, ':');

/** `/v1/pipelines/runs` is one route and no pipeline: a name goes before a parameter, from left to right. */
const mostSpecificFirst = (one: Route, other: Route): number => {
  const [left, right] = [one.form.split('/'), other.form.split('/')];
  const at = left.findIndex((step, index) => step !== right[index]);
  return Number(left[at] === ':') - Number(right[at] === ':');
};

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
