import { EVENT_TYPES, type EventType } from './event/event-type';

/** What a request of the route may hold: anything; one event only; a batch or an array only. */
export type Accepts = 'any' | 'one' | 'many';

export type IntakeRoute =
  | {
      readonly kind: 'events';
      readonly accepts: Accepts;
      readonly type: EventType | undefined;
      /** The key, where the path names it. */
      readonly key: string | undefined;
    }
  /** What a browser SDK asks for at its start. */
  | { readonly kind: 'segmentSettings'; readonly key: string }
  | { readonly kind: 'rudderstackSettings' };

/** A route that takes events. */
export type EventRoute = Extract<IntakeRoute, { kind: 'events' }>;

const events = (accepts: Accepts, type?: EventType, key?: string): IntakeRoute => ({
  kind: 'events',
  accepts,
  type,
  key,
});

/** What the browser SDKs call the types. */
const LETTERS: Readonly<Record<string, EventType>> = {
  a: 'alias',
  g: 'group',
  i: 'identify',
  p: 'page',
  s: 'screen',
  t: 'track',
};

/** By path; those whose path names a key are not among them. */
export const INTAKE_ROUTES: ReadonlyMap<string, IntakeRoute> = new Map<string, IntakeRoute>([
  ['/v1/events', events('any')],
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

/** The route of the path; undefined when the path is none of intake's. */
export const intakeRouteAt = (path: string): IntakeRoute | undefined =>
  INTAKE_ROUTES.get(path) ?? routeWithKey(path);

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
