import type { Run } from '../table';
import type { Json, World } from '../world';

interface Field {
  readonly type: Json;
  /** Whether it may be absent. */
  readonly isOptional: boolean;
}

const kinds = (kind: Json, ...paths: readonly string[]): [path: string, type: Json][] =>
  paths.map((path) => [path, kind]);

const of = (object: string, ...names: readonly string[]): string[] =>
  names.map((name) => `context.${object}.${name}`);

const STRING = { kind: 'string' };
const JSON_VALUE = { kind: 'json' };
const BOOLEAN = { kind: 'boolean' };
const DATETIME = { kind: 'datetime' };

const ALWAYS: readonly (readonly [string, Json])[] = [
  ...kinds(STRING, 'connectionId', 'anonymousId', 'messageId'),
  ...kinds(DATETIME, 'receivedAt', 'sentAt', 'originalTimestamp', 'timestamp'),
  ['traits', JSON_VALUE],
  ['type', { kind: 'string', values: ['alias', 'identify', 'group', 'page', 'screen', 'track'] }],
];

const OPTIONAL: readonly (readonly [string, Json])[] = [
  ...kinds(STRING, 'channel', 'category', 'event', 'groupId', 'name', 'previousId', 'userId'),
  ['properties', JSON_VALUE],
  ...kinds(STRING, ...of('app', 'name', 'version', 'build', 'namespace')),
  ...kinds(
    {
      kind: 'string',
      values: ['Chrome', 'Safari', 'Edge', 'Firefox', 'Samsung Internet', 'Opera', 'Other'],
    },
    'context.browser.name',
  ),
  ...kinds(STRING, ...of('browser', 'other', 'version')),
  ...kinds(STRING, ...of('campaign', 'name', 'source', 'medium', 'term', 'content')),
  ...kinds(
    STRING,
    ...of('device', 'id', 'advertisingId', 'manufacturer', 'model', 'name', 'type', 'token'),
  ),
  ...kinds(BOOLEAN, 'context.device.adTrackingEnabled'),
  ...kinds({ kind: 'ip' }, 'context.ip'),
  ...kinds(STRING, ...of('library', 'name', 'version')),
  ...kinds(STRING, 'context.locale', 'context.timezone', 'context.userAgent'),
  ...kinds(STRING, ...of('location', 'city', 'country')),
  ...kinds({ kind: 'float', bitSize: 64 }, ...of('location', 'latitude', 'longitude', 'speed')),
  ...kinds(BOOLEAN, ...of('network', 'bluetooth', 'cellular', 'wifi')),
  ...kinds(STRING, 'context.network.carrier'),
  ...kinds(
    {
      kind: 'string',
      values: ['Android', 'Windows', 'iOS', 'macOS', 'Linux', 'Chrome OS', 'Other'],
    },
    'context.os.name',
  ),
  ...kinds(STRING, ...of('os', 'other', 'version')),
  ...kinds(STRING, ...of('page', 'path', 'referrer', 'search', 'title', 'url')),
  ...kinds(STRING, ...of('referrer', 'id', 'type')),
  ...kinds({ kind: 'int', bitSize: 16 }, ...of('screen', 'width', 'height')),
  ...kinds({ kind: 'decimal', precision: 3, scale: 2, minimum: 0.01 }, 'context.screen.density'),
  ...kinds({ kind: 'int', bitSize: 64 }, 'context.session.id'),
  ...kinds(BOOLEAN, 'context.session.start'),
];

const leaves = (schema: Json, prefix = ''): [path: string, Field][] =>
  (schema['properties'] as Json[]).flatMap(({ name, type, readOptional = false }) => {
    const path = `${prefix}${String(name)}`;
    const given = type as Json;
    return given['kind'] === 'object'
      ? leaves(given, `${path}.`)
      : [[path, { type: given, isOptional: readOptional === true }]];
  });

const schemaOf = async (world: World): Promise<Map<string, Field>> =>
  new Map(leaves(await world.done('GET /v1/events/schema')));

const field =
  (path: string, type: Json, isOptional: boolean): Run =>
  async (world) => {
    expect((await schemaOf(world)).get(path)).toEqual({ type, isOptional });
  };

/** A case for each field of an event in the reference. */
export const EVENT_FIELDS: Readonly<Record<string, Run>> = {
  ...Object.fromEntries(ALWAYS.map(([path, type]) => [path, field(path, type, false)])),
  ...Object.fromEntries(OPTIONAL.map(([path, type]) => [path, field(path, type, true)])),
  'no others': async (world) => {
    const paths = [...ALWAYS, ...OPTIONAL].map(([path]) => path);
    expect([...(await schemaOf(world)).keys()].sort()).toEqual(paths.sort());
  },
};
