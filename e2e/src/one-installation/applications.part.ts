import type { ApiClient } from '../harness/api-client';
import { type Flow, makeFlow } from '../harness/flow';
import { Receiver } from '../harness/receiver';
import type { Installation } from '../harness/installation';
import { until } from '../harness/until';
import type { Place } from './place';

const FILTER = {
  logical: 'and',
  conditions: [{ property: 'type', operator: 'is', values: ['track'] }],
};

let installation: Installation;
let receivers: [Receiver, Receiver];
let flow: Flow;
let api: ApiClient;

const send = async (messageId: string): Promise<void> => {
  const event = { type: 'track', event: 'Bought', userId: 'ada', messageId };
  const response = await fetch(`${installation.address}/v1/events`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${flow.writeKey}` },
    body: JSON.stringify(event),
  });
  expect(response.status).toBe(200);
};

const deliveredTo = ({ delivered }: Receiver): unknown[] => delivered.map(({ body }) => body['id']);

/** Applications: their settings, previews and users. */
export const applications = (place: () => Place): void => {
  beforeAll(async () => {
    ({ installation } = place());
    const { first } = place();
    ({ api } = first);
    receivers = [await Receiver.open(), await Receiver.open()];
    const [{ url }] = receivers;
    const { address, apiKey } = installation;
    flow = await makeFlow(
      { address, apiKey, workspace: first.id },
      { url, filter: FILTER, mapping: 'map("id", messageId)' },
    );
  });

  afterAll(() => Promise.all(receivers.map((receiver) => receiver.close())));

  it('sends events with the settings that were updated before them', async () => {
    const [first, second] = receivers;
    await send('before');
    await until('the first event arrives', () => first.delivered.length === 1);
    const path = `/v1/connections/${flow.destination}`;
    await api.call('PUT', path, { name: 'Moved', settings: { url: second.url } });
    await send('after');
    await until('the second event arrives', () => second.delivered.length === 1);
    expect([deliveredTo(first), deliveredTo(second)]).toEqual([['before'], ['after']]);
    expect(await api.call('GET', path)).toMatchObject({
      name: 'Moved',
      settings: { url: second.url },
    });
  });

  it('previews the request that it would send, and sends nothing', async () => {
    const attempts = receivers.flatMap((receiver) => receiver.attempts).length;
    const time = '2026-03-01T09:30:00Z';
    const times = { receivedAt: time, sentAt: time, originalTimestamp: time, timestamp: time };
    const source = 'const transform = ({ messageId }) => ({ properties: { id: messageId } });';
    const { preview } = (await api.call(
      'POST',
      `/v1/connections/${flow.destination}/preview-send-event`,
      {
        type: 'send_values',
        event: {
          ...times,
          connectionId: flow.source,
          anonymousId: 'ada',
          messageId: 'shown',
          type: 'track',
          event: 'Bought',
          traits: {},
        },
        transformation: { function: { source, language: 'JavaScript', preserveJSON: false } },
        outSchema: {
          kind: 'object',
          properties: [{ name: 'properties', type: { kind: 'json' }, createRequired: true }],
        },
      },
    )) as { preview: string };
    expect(preview).toMatch(/^POST http:\/\/127\.0\.0\.1:\d+\/\n/);
    expect(preview).toMatch(/\n\n\{"id":"shown"\}$/);
    expect(receivers.flatMap((receiver) => receiver.attempts)).toHaveLength(attempts);
  });

  it('reads all users of an application, by its own schema', async () => {
    const id = await api.createConnection({
      name: 'Users',
      role: 'Source',
      connector: 'dummy',
      settings: { userCount: 25, pageSize: 10 },
    });
    const { schemas } = (await api.call('GET', `/v1/connections/${id}/schemas/user`)) as {
      schemas: { source: object; destination: null };
    };
    expect(schemas.destination).toBeNull();
    const emails: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = new URLSearchParams({ schema: JSON.stringify(schemas.source), cursor });
      const set = (await api.call('GET', `/v1/connections/${id}/users?${query.toString()}`)) as {
        users: { email: string }[];
        cursor: string;
      };
      emails.push(...set.users.map(({ email }) => email));
      cursor = set.cursor === '' ? null : set.cursor;
    }
    expect(emails).toEqual(
      Array.from({ length: 25 }, (_, index) => `user-${String(index + 1)}@example.com`),
    );
  });
};
