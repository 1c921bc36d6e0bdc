import type {
  ConnectionDelivery,
  ConnectionFact,
  ConnectionId,
  EventWriteKey,
  NewConnection,
  WorkspaceId,
} from '@penstock/contracts';
import { fold, specify } from '@penstock/event-sourcing';
import { connectionDecider, MAX_WRITE_KEYS } from './connection.decide';

const { given } = specify(connectionDecider);

const connection: NewConnection = {
  id: 'c1' as ConnectionId,
  workspace: 'w1' as WorkspaceId,
  name: 'Web site',
  connector: 'javascript',
  connectorType: 'SDK',
  role: 'Source',
  sendingMode: null,
  settings: 'sealed',
};
const key = (hash: string): EventWriteKey => ({ hash, sealed: `sealed ${hash}` });
const created: ConnectionFact = { type: 'ConnectionCreated', data: connection };
const keyCreated = (hash: string): ConnectionFact => ({
  type: 'EventWriteKeyCreated',
  data: key(hash),
});
const destination = 'd1' as ConnectionId;
const linked: ConnectionFact = { type: 'ConnectionLinked', data: { destination } };
const deleted: ConnectionFact = { type: 'ConnectionDeleted', data: {} };
const keys = (count: number): ConnectionFact[] =>
  Array.from({ length: count }, (_, index) => keyCreated(`k${String(index)}`));

describe('creating a connection', () => {
  it('records it with its first write key and its links', () => {
    given()
      .when({ type: 'CreateConnection', connection, writeKey: key('k'), links: [destination] })
      .then(created, keyCreated('k'), linked);
  });

  it('records no write key for one that does not receive events', () => {
    given().when({ type: 'CreateConnection', connection, writeKey: null, links: [] }).then(created);
  });

  it('records nothing when it exists already', () => {
    given(created)
      .when({ type: 'CreateConnection', connection, writeKey: null, links: [] })
      .thenNothing();
  });
});

describe('updating a connection', () => {
  const { name, settings } = connection;
  it.each([
    { name: 'Shop', settings },
    { name, settings: 'sealed again' },
  ])('records %j', (data) => {
    given(created)
      .when({ type: 'UpdateConnection', ...data })
      .then({ type: 'ConnectionUpdated', data });
  });

  it('records nothing when nothing changes, also after an update', () => {
    given(created).when({ type: 'UpdateConnection', name, settings }).thenNothing();
    given(created, { type: 'ConnectionUpdated', data: { name: 'Shop', settings } })
      .when({ type: 'UpdateConnection', name: 'Shop', settings })
      .thenNothing();
  });
});

describe('the delivery of a connection', () => {
  const { name, settings } = connection;
  const delivery = { ordering: 'none', maxAgeSeconds: 3_600, timeoutSeconds: 10 } as const;
  const update = { type: 'UpdateConnection', name, settings } as const;
  const changedTo = (to: ConnectionDelivery | null): ConnectionFact => ({
    type: 'ConnectionUpdated',
    data: { name, settings, delivery: to },
  });
  const delivered = (...facts: ConnectionFact[]) =>
    fold(connectionDecider, [created, ...facts])?.delivery;

  it('is recorded with the connection', () => {
    const own = { ...connection, delivery };
    given()
      .when({ type: 'CreateConnection', connection: own, writeKey: null, links: [] })
      .then({ type: 'ConnectionCreated', data: own });
  });

  it.each([delivery, { ...delivery, ordering: 'key' }, { timeoutSeconds: 10 }, {}] as const)(
    'is changed as a whole, to %j',
    (other) => {
      given(created)
        .when({ ...update, delivery: other })
        .then(changedTo(other));
      given(created, changedTo({ maxAgeSeconds: 60 }))
        .when({ ...update, delivery: other })
        .then(changedTo(other));
      expect(delivered(changedTo({ maxAgeSeconds: 60 }), changedTo(other))).toEqual(other);
    },
  );

  it('is removed once', () => {
    given(created, changedTo(delivery))
      .when({ ...update, delivery: null })
      .then(changedTo(null));
    given(created, changedTo(delivery), changedTo(null))
      .when({ ...update, delivery: null })
      .thenNothing();
    given(created)
      .when({ ...update, delivery: null })
      .thenNothing();
    const state = fold(connectionDecider, [created, changedTo(delivery), changedTo(null)]);
    expect(state).not.toHaveProperty('delivery');
  });

  it('is not recorded when it does not change, whatever the order of its members', () => {
    const { ordering, ...others } = delivery;
    given(created, changedTo(delivery))
      .when({ ...update, delivery: { ...others, ordering } })
      .thenNothing();
  });

  it('does not change where an update does not name it', () => {
    const renamed = { type: 'ConnectionUpdated', data: { name: 'Shop', settings } } as const;
    given(created, changedTo(delivery))
      .when({ ...update, name: 'Shop' })
      .then(renamed);
    given(created, changedTo(delivery))
      .when({ ...update, name: 'Shop', delivery })
      .then(renamed);
    expect(delivered(changedTo(delivery), renamed)).toEqual(delivery);
  });
});

describe('creating a write key', () => {
  it('records the twentieth', () => {
    given(created, ...keys(MAX_WRITE_KEYS - 1))
      .when({ type: 'CreateEventWriteKey', key: key('new') })
      .then(keyCreated('new'));
  });

  it('is refused beyond it', () => {
    given(created, ...keys(MAX_WRITE_KEYS))
      .when({ type: 'CreateEventWriteKey', key: key('new') })
      .thenRefused('TooManyEventWriteKeys');
  });
});

describe('deleting a write key', () => {
  it('records it while another is left', () => {
    given(created, keyCreated('a'), keyCreated('b'))
      .when({ type: 'DeleteEventWriteKey', hash: 'a' })
      .then({ type: 'EventWriteKeyDeleted', data: { hash: 'a' } });
  });

  it('is refused for the last one', () => {
    given(created, keyCreated('a'))
      .when({ type: 'DeleteEventWriteKey', hash: 'a' })
      .thenRefused('SingleEventWriteKey');
  });

  it('is refused for one that the connection does not have', () => {
    given(created, keyCreated('a'))
      .when({ type: 'DeleteEventWriteKey', hash: 'b' })
      .thenRefused('EventWriteKeyNotExist');
  });
});

describe('links', () => {
  it('are recorded once', () => {
    given(created).when({ type: 'LinkConnections', destination }).then(linked);
    given(created, linked).when({ type: 'LinkConnections', destination }).thenNothing();
  });

  it('are removed once', () => {
    given(created, linked)
      .when({ type: 'UnlinkConnections', destination })
      .then({ type: 'ConnectionUnlinked', data: { destination } });
    given(created).when({ type: 'UnlinkConnections', destination }).thenNothing();
  });
});

describe('a deleted connection', () => {
  it.each([
    { type: 'UpdateConnection', name: 'Shop', settings: 'sealed' },
    { type: 'CreateEventWriteKey', key: key('k') },
    { type: 'DeleteEventWriteKey', hash: 'k' },
    { type: 'LinkConnections', destination },
    { type: 'UnlinkConnections', destination },
    { type: 'DeleteConnection' },
  ] as const)('refuses $type', (command) => {
    given(created, deleted).when(command).thenRefused('ConnectionNotExist');
    given().when(command).thenRefused('ConnectionNotExist');
  });
});
