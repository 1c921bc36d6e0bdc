import {
  type ConnectionChange,
  type ConnectionDelivery,
  type ConnectionFact,
  type ConnectionId,
  type ConnectionState,
  type EventWriteKey,
  type NewConnection,
  Refusal,
  unreachable,
} from '@penstock/contracts';
import type { Decider } from '@penstock/event-sourcing';

/** Source: API document, "Limits". */
export const MAX_WRITE_KEYS = 20;

/** The published state, which is all that decisions depend on. `null`: it was never created. */
export type Connection = ConnectionState | null;

export type ConnectionCommand =
  | {
      readonly type: 'CreateConnection';
      readonly connection: NewConnection;
      /** `null`: it does not receive events. */
      readonly writeKey: EventWriteKey | null;
      readonly links: readonly ConnectionId[];
    }
  | ({ readonly type: 'UpdateConnection' } & ConnectionChange)
  | { readonly type: 'CreateEventWriteKey'; readonly key: EventWriteKey }
  | { readonly type: 'DeleteEventWriteKey'; readonly hash: string }
  | { readonly type: 'LinkConnections'; readonly destination: ConnectionId }
  | { readonly type: 'UnlinkConnections'; readonly destination: ConnectionId }
  | { readonly type: 'DeleteConnection' };

const created = (data: NewConnection): ConnectionState => ({
  ...data,
  kind: 'connection',
  version: 1,
  deleted: false,
  writeKeys: [],
  links: [],
});

const updated = (
  { delivery: present, ...state }: ConnectionState,
  { delivery = present, ...changes }: ConnectionChange,
): ConnectionState => ({ ...state, ...changes, ...(delivery != null && { delivery }) });

type OtherFact = Exclude<ConnectionFact, { readonly type: 'ConnectionUpdated' }>;

const changed = (state: ConnectionState, fact: OtherFact): Partial<ConnectionState> => {
  switch (fact.type) {
    case 'ConnectionCreated':
      return {};
    case 'EventWriteKeyCreated':
      return { writeKeys: [...state.writeKeys, fact.data] };
    case 'EventWriteKeyDeleted':
      return { writeKeys: state.writeKeys.filter(({ hash }) => hash !== fact.data.hash) };
    case 'ConnectionLinked':
      return { links: [...state.links, fact.data.destination] };
    case 'ConnectionUnlinked':
      return { links: state.links.filter((id) => id !== fact.data.destination) };
    case 'ConnectionDeleted':
      return { deleted: true, writeKeys: [], links: [] };
    default:
      return unreachable(fact);
  }
};

const evolve = (state: Connection, fact: ConnectionFact): Connection => {
  if (fact.type === 'ConnectionCreated') return created(fact.data);
  if (state === null) return state;
  const version = state.version + 1;
  if (fact.type === 'ConnectionUpdated') return { ...updated(state, fact.data), version };
  return { ...state, ...changed(state, fact), version };
};

const create = ({
  connection,
  writeKey,
  links,
}: Extract<ConnectionCommand, { type: 'CreateConnection' }>): ConnectionFact[] => [
  { type: 'ConnectionCreated', data: connection },
  ...(writeKey === null ? [] : [{ type: 'EventWriteKeyCreated', data: writeKey } as const]),
  ...links.map((destination) => ({ type: 'ConnectionLinked', data: { destination } }) as const),
];

const isSame = (one: ConnectionDelivery | null, other: ConnectionDelivery | null): boolean =>
  one === other ||
  (one !== null &&
    other !== null &&
    one.ordering === other.ordering &&
    one.maxAgeSeconds === other.maxAgeSeconds &&
    one.timeoutSeconds === other.timeoutSeconds);

const update = (
  { name, settings, delivery }: Extract<ConnectionCommand, { type: 'UpdateConnection' }>,
  state: ConnectionState,
): ConnectionFact[] => {
  const isKept = delivery === undefined || isSame(delivery, state.delivery ?? null);
  if (isKept && name === state.name && settings === state.settings) return [];
  const data = { name, settings, ...(!isKept && { delivery }) };
  return [{ type: 'ConnectionUpdated', data }];
};

const createKey = (key: EventWriteKey, state: ConnectionState): ConnectionFact[] => {
  if (state.writeKeys.length >= MAX_WRITE_KEYS) throw new Refusal('TooManyEventWriteKeys');
  return [{ type: 'EventWriteKeyCreated', data: key }];
};

const deleteKey = (hash: string, { writeKeys }: ConnectionState): ConnectionFact[] => {
  if (!writeKeys.some((key) => key.hash === hash)) throw new Refusal('EventWriteKeyNotExist');
  if (writeKeys.length === 1) throw new Refusal('SingleEventWriteKey');
  return [{ type: 'EventWriteKeyDeleted', data: { hash } }];
};

const decide = (command: ConnectionCommand, state: Connection): ConnectionFact[] => {
  if (command.type === 'CreateConnection') return state === null ? create(command) : [];
  if (state === null || state.deleted) throw new Refusal('ConnectionNotExist');
  switch (command.type) {
    case 'UpdateConnection':
      return update(command, state);
    case 'CreateEventWriteKey':
      return createKey(command.key, state);
    case 'DeleteEventWriteKey':
      return deleteKey(command.hash, state);
    case 'LinkConnections':
      return state.links.includes(command.destination)
        ? []
        : [{ type: 'ConnectionLinked', data: { destination: command.destination } }];
    case 'UnlinkConnections':
      return state.links.includes(command.destination)
        ? [{ type: 'ConnectionUnlinked', data: { destination: command.destination } }]
        : [];
    case 'DeleteConnection':
      return [{ type: 'ConnectionDeleted', data: {} }];
    default:
      return unreachable(command);
  }
};

/** The rules of a connection: its write keys, its links and its deletion. */
export const connectionDecider: Decider<Connection, ConnectionCommand, ConnectionFact> = {
  initial: null,
  decide,
  evolve,
};

export const connectionStream = (id: string): string => `connection-${id}`;
