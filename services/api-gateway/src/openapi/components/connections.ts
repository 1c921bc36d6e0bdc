import type { ConnectionView } from '@penstock/contracts';
import {
  ANY_OBJECT,
  arrayOf,
  described,
  INTEGER,
  type JsonSchema,
  FLAG,
  NULL,
  object,
  oneOf,
  orNull,
  ref,
  TEXT,
} from '../schema/json-schema';
import { CONNECTOR_TYPES, EXAMPLE_ID, list, page, withExample } from './answer';
import { HEALTH, HEALTH_EXAMPLE } from './health';
import { EXAMPLE_WRITE_KEY } from './scalars';

const ID = ref('Id');

const EVENT_TYPE = object({
  id: TEXT,
  name: TEXT,
  description: TEXT,
  defaultFilter: orNull(described(ref('Filter'), 'Proposed to people, never applied.')),
});

const DELIVERY = object(
  {},
  {
    ordering: described(
      oneOf(['key', 'none']),
      'Whether the events of a user are delivered in order. Default: `key`, in order.',
    ),
    maxAge: described(
      INTEGER,
      'Seconds after an event was received during which its delivery is retried. Default: that of the installation.',
    ),
    timeout: described(
      INTEGER,
      'Time limit of one request, in seconds. Default: that of the connector.',
    ),
  },
);

/** Members of a connection in answers: those of its view, and those that the gateway adds. */
export type ConnectionMember =
  | Exclude<keyof ConnectionView, 'version'>
  | 'strategy'
  | 'health'
  | 'eventTypes';

const CONNECTION = withExample(
  object<Exclude<ConnectionMember, 'eventTypes'>>(
    {
      id: ID,
      name: TEXT,
      connector: described(TEXT, 'Code of the connector.'),
      connectorType: oneOf(CONNECTOR_TYPES),
      role: oneOf(['Source', 'Destination']),
      strategy: NULL,
      sendingMode: orNull(oneOf(['Server'])),
      linkedConnections: arrayOf(ID),
      pipelines: arrayOf(ID),
      health: HEALTH,
      settings: described(
        ANY_OBJECT,
        'Settings of the connector. Of secrets only the last four characters are shown.',
      ),
      delivery: orNull(described(DELIVERY, 'As it was set. Null: the defaults.')),
    },
    { eventTypes: described(arrayOf(EVENT_TYPE), 'Only of destinations that take events.') },
  ),
  {
    id: EXAMPLE_ID,
    name: 'Shop',
    connector: 'nodejs',
    connectorType: 'SDK',
    role: 'Source',
    strategy: null,
    sendingMode: null,
    linkedConnections: [],
    pipelines: [],
    health: HEALTH_EXAMPLE,
    settings: {},
    delivery: null,
  },
);

const role = (more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema =>
  orNull(object({ targets: arrayOf(oneOf(['User', 'Event'])), summary: TEXT, ...more }));

const CONNECTOR = withExample(
  object({
    code: TEXT,
    label: TEXT,
    type: oneOf([...CONNECTOR_TYPES, 'FileFormat']),
    categories: arrayOf(TEXT),
    asSource: role(),
    asDestination: role({ sendingMode: oneOf(['Server']) }),
    settings: described(
      ANY_OBJECT,
      'In the notation of types, with `required`, `secret` and `default` of properties.',
    ),
    formatSettings: orNull(
      described(
        object({ source: ANY_OBJECT, destination: ANY_OBJECT }),
        'Only of a format of files: what `formatSettings` of a pipeline may hold, in the same notation.',
      ),
    ),
    hasSheets: orNull(FLAG),
    fileExtension: orNull(TEXT),
    terms: orNull(object({ user: TEXT, users: TEXT, userId: TEXT })),
  }),
  {
    code: 'nodejs',
    label: 'Node.js',
    type: 'SDK',
    categories: ['SDK'],
    asSource: { targets: ['Event'], summary: 'Receives events from a Node.js application.' },
    asDestination: null,
    settings: { kind: 'object', properties: [] },
    formatSettings: null,
    hasSheets: null,
    fileExtension: null,
    terms: null,
  },
);

/** Components for connections and what belongs to them. */
export const CONNECTIONS: Readonly<Record<string, JsonSchema>> = {
  Connection: CONNECTION,
  ConnectionList: page('connections', 'Connection', CONNECTION),
  Connector: CONNECTOR,
  ConnectorList: list('connectors', 'Connector', CONNECTOR),
  EventWriteKeyList: withExample(object({ keys: arrayOf(ref('EventWriteKey')) }), {
    keys: [EXAMPLE_WRITE_KEY],
  }),
  NewEventWriteKey: withExample(object({ key: ref('EventWriteKey') }), { key: EXAMPLE_WRITE_KEY }),
  Created: withExample(object({ id: ID }), { id: EXAMPLE_ID }),
};
