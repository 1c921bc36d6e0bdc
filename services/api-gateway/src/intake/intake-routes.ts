import { EVENT_TYPES, type EventType } from './event/event-type';

/** The bodies that a route accepts: any, one event only, or a batch or an array only. */
export type Accepts = 'any' | 'one' | 'many';

export type IntakeRoute =
  | {
      readonly kind: 'events';
      readonly accepts: Accepts;
      readonly type: EventType | undefined;
      /** The key in the path, if the path has one. */
      readonly key: string | undefined;
      /** Whether the API answers its GET. */
      readonly isOfApiToo?: true;
    }
  /** Settings that a browser SDK requests when it starts. */
  | { readonly kind: 'segmentSettings'; readonly key: string }
  | { readonly kind: 'rudderstackSettings' };

/** A route that accepts events. */
export type EventRoute = Extract<IntakeRoute, { kind: 'events' }>;

const events = (accepts: Accepts, type?: EventType, key?: string): EventRoute => ({
  kind: 'events',
  accepts,
  type,
  key,
});

/** Letters by which the browser SDKs name the types. */
const LETTERS: Readonly<Record<string, EventType>> = {
  a: 'alias',
  g: 'group',
  i: 'identify',
  p: 'page',
  s: 'screen',
  t: 'track',
};

/** Routes by path, except those whose path contains a key. */
export const INTAKE_ROUTES: ReadonlyMap<string, IntakeRoute> = new Map<string, IntakeRoute>([
  ['/v1/events', { ...events('any'), isOfApiToo: true }],
  ...EVENT_TYPES.map((type): [string, IntakeRoute] => [`/v1/events/${type}`, events('one', type)]),
  ['/v1/batch', events('many')],
  ['/v1/b', events('many')],
  ['/beacon/v1/batch', events('many')],
  ...EVENT_TYPES.map((type): [string, IntakeRoute] => [`/v1/${type}`, events('one', type)]),
  ...Object.entries(LETTERS).map(([letter, type]): [string, IntakeRoute] => [
    `/v1/${letter}`,
    events('one', type),
  ]),
  ['/sourceConfig', { kind: 'rudderstackSettings' }],
  ['/sourceConfig/', { kind: 'rudderstackSettings' }],
]);

const WEBHOOK = '/v1/webhooks/';
const SEGMENT_SETTINGS = /^\/v1\/projects\/([^/]+)\/settings$/;

/** Finds the route of a path; undefined when intake has none. */
export const intakeRouteAt = (path: string): IntakeRoute | undefined =>
  INTAKE_ROUTES.get(path) ?? routeWithKey(path);

/** The pattern of an intake path, without the key that it may contain; undefined when intake has no such path. */
export const intakePatternAt = (path: string): string | undefined => {
  const route = intakeRouteAt(path);
  if (route === undefined || INTAKE_ROUTES.has(path)) return route && path;
  return path.startsWith(WEBHOOK) ? `${WEBHOOK}:key` : '/v1/projects/:key/settings';
};

const routeWithKey = (path: string): IntakeRoute | undefined => {
  if (path.startsWith(WEBHOOK)) {
    const key = path.slice(WEBHOOK.length);
    return key === '' || key.includes('/') ? undefined : events('any', undefined, key);
  }
  const key = SEGMENT_SETTINGS.exec(path)?.[1];
  return key === undefined ? undefined : { kind: 'segmentSettings', key };
};

export const methodsOf = ({ kind }: IntakeRoute): readonly string[] =>
  kind === 'events' ? ['POST', 'OPTIONS'] : ['GET', 'HEAD', 'OPTIONS'];

/** The methods of a path, those of the API included. */
export const allowedOf = (route: IntakeRoute): readonly string[] => {
  const isOfApiToo = route.kind === 'events' && route.isOfApiToo === true;
  return [...(isOfApiToo ? ['GET', 'HEAD'] : []), ...methodsOf(route)];
};
