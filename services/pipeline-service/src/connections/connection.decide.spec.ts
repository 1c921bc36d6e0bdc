import type {
  ConnectionFact,
  ConnectionId,
  EventWriteKey,
  NewConnection,
  WorkspaceId,
} from '@penstock/contracts';
import { specify } from '@penstock/event-sourcing';
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

  it('gives no write key to one that takes no events', () => {
    given().when({ type: 'CreateConnection', connection, writeKey: null, links: [] }).then(created);
  });

  it('records nothing when it is there already', () => {
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

  it('records nothing when it is so already, also since an update', () => {
    given(created).when({ type: 'UpdateConnection', name, settings }).thenNothing();
    given(created, { type: 'ConnectionUpdated', data: { name: 'Shop', settings } })
      .when({ type: 'UpdateConnection', name: 'Shop', settings })
      .thenNothing();
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

  it('are taken off once', () => {
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
