import type { IRouter } from 'express';

interface Route {
  /** As it was declared, each parameter as `:`. */
  readonly form: string;
  readonly path: RegExp;
  readonly methods: readonly string[];
}

/** What the API can be asked. Asked itself before anything else, so that an unknown route is one for everybody. */
export class Routes {
  /** By the number of their steps; of two that match a path, the more specific one comes first. */
  private readonly routes = new Map<number, Route[]>();

  constructor(router: IRouter) {
    for (const { route } of router.stack) {
      if (route === undefined) continue;
      const taken = route.stack.flatMap(({ method }) => methodsOf(method.toUpperCase()));
      const form = formOf(route.path);
      const alike = this.routes.get(stepsIn(form)) ?? [];
      const { methods = [] } = alike.find((each) => each.form === form) ?? {};
      const whole = { form, path: patternOf(route.path), methods: [...methods, ...taken] };
      const others = alike.filter((each) => each.form !== form);
      this.routes.set(stepsIn(form), [...others, whole].sort(mostSpecificFirst));
    }
  }

  /** @returns the methods that the path takes; none when there is no such path. */
  methodsAt(url: string): readonly string[] {
    const path = url.split('?', 1)[0] ?? '';
    if (!isDecodable(path)) return [];
    const alike = this.routes.get(stepsIn(path)) ?? [];
    return alike.find((route) => route.path.test(path))?.methods ?? [];
  }
}

const methodsOf = (method: string): readonly string[] =>
  method === 'GET' ? ['GET', 'HEAD'] : [method];

const stepsIn = (path: string): number => path.split('/').length;

const formOf = (path: string): string => path.replace(/:\w+/g, ':');

/** Sorts behind every name. */
const PARAMETER = '\uffff';

/** `/v1/pipelines/runs` is one route and no pipeline: a name goes before a parameter, from left to right. */
const mostSpecificFirst = (one: Route, other: Route): number => {
  const [left, right] = [one, other].map(({ form }) => form.replaceAll(':', PARAMETER));
  return (left ?? '') < (right ?? '') ? -1 : 1;
};

/** `/v1/pipelines/:id` matches one step in the place of `:id`. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`);

const isDecodable = (path: string): boolean => {
  if (!path.includes('%')) return path !== '';
  try {
    return decodeURIComponent(path) !== '';
  } catch {
    return false;
  }
};
