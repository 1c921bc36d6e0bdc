import type { IRouter } from 'express';

/** A route of the API. */
export interface FoundRoute {
  /** The declared path, such as `/v1/pipelines/:id`. */
  readonly name: string;
  /** The methods that it accepts. */
  readonly methods: readonly string[];
}

interface Route extends FoundRoute {
  /** The declared path with each parameter written as `:`. */
  readonly form: string;
  readonly path: RegExp;
}

/**
 * The routes of the API. Looked up before all other checks, so that an unknown route is answered 404 to every caller.
 */
export class Routes {
  /** Routes by number of path segments; of two that match a path, the more specific one comes first. */
  private readonly routes = new Map<number, Route[]>();

  constructor(router: IRouter) {
    for (const { route } of router.stack) {
      if (route === undefined) continue;
      const taken = route.stack.flatMap(({ method }) => methodsOf(method.toUpperCase()));
      const form = formOf(route.path);
      const alike = this.routes.get(stepsIn(form)) ?? [];
      const { methods = [] } = alike.find((each) => each.form === form) ?? {};
      const { path: name } = route;
      const merged = { name, form, path: patternOf(route.path), methods: [...methods, ...taken] };
      const others = alike.filter((each) => each.form !== form);
      this.routes.set(stepsIn(form), [...others, merged].sort(mostSpecificFirst));
    }
  }

  /** The route of a URL; undefined: there is no such path. */
  at(url: string): FoundRoute | undefined {
    const path = url.split('?', 1)[0] ?? '';
    if (!isDecodable(path)) return undefined;
    const alike = this.routes.get(stepsIn(path)) ?? [];
    return alike.find((route) => route.path.test(path));
  }
}

const methodsOf = (method: string): readonly string[] =>
  method === 'GET' ? ['GET', 'HEAD'] : [method];

const stepsIn = (path: string): number => path.split('/').length;

const formOf = (path: string): string => path.replace(/:\w+/g, ':');

/** Sorts after every name. */
const PARAMETER = '\uffff';

/**
 * Orders routes so that a name precedes a parameter, segment by segment: `/v1/pipelines/runs` is not the pipeline
 * `runs`.
 */
const mostSpecificFirst = (one: Route, other: Route): number => {
  const [left, right] = [one, other].map(({ form }) => form.replaceAll(':', PARAMETER));
  return (left ?? '') < (right ?? '') ? -1 : 1;
};

/** Compiles a path: `:id` in `/v1/pipelines/:id` matches one segment. */
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
