import { ApiClient } from './harness/api-client';
import { EmbeddedInstallation } from './harness/embedded-installation';
import { makeFlow } from './harness/flow';
import { type Installation, showingOutput } from './harness/installation';
import { Receiver } from './harness/receiver';
import { until } from './harness/until';

jest.setTimeout(180_000);

const FILTER = {
  logical: 'and',
  conditions: [{ property: 'type', operator: 'is', values: ['track'] }],
};
/** A user id with a space, which no id of Penstock has. */
const SUPPRESSED = 'Ada Lovelace';
const MAPPING = 'map("key", userId, "number", properties.number)';

let installation: Installation;
let receiver: Receiver;

beforeAll(async () => {
  installation = await EmbeddedInstallation.start();
  receiver = await Receiver.open();
});

afterAll(async () => {
  await receiver.close();
  await installation.destroy();
});

it(
  'filters the events of a suppressed user from the answer on, until the suppression ends',
  showingOutput(
    () => installation,
    async () => {
      const { address, apiKey } = installation;
      const api = new ApiClient(address, apiKey);
      const flow = { url: receiver.url, filter: FILTER, mapping: MAPPING };
      const sender = new ApiClient(address, (await makeFlow(installation, flow)).writeKey);
      let sent = 0;
      const send = async (): Promise<void> => {
        sent += 1;
        const properties = { number: sent };
        const events = [SUPPRESSED, 'bob'].map((userId) => ({
          type: 'track',
          event: 'E',
          userId,
          properties,
        }));
        expect(await sender.call('POST', '/v1/events', events)).toEqual({ accepted: 2 });
      };
      const numbersOf = (userId: string): number[] =>
        receiver.delivered
          .filter(({ body }) => body['key'] === userId)
          .map(({ body }) => Number(body['number']));

      await send();
      await until('the first is delivered to both', () => receiver.delivered.length === 2);
      await api.call('POST', '/v1/users/suppress', { userId: SUPPRESSED });
      await send();
      await api.call('POST', '/v1/users/unsuppress', { userId: SUPPRESSED });
      await send();
      await until('the last is delivered to both', () => receiver.delivered.length === 5);
      expect(numbersOf(SUPPRESSED)).toEqual([1, 3]);
      expect(numbersOf('bob')).toEqual([1, 2, 3]);

      const { facts } = (await api.call('GET', '/v1/audit?type=UserSuppressed')) as {
        facts: object[];
      };
      expect(facts).toHaveLength(1);
      expect(JSON.stringify(facts)).not.toContain(SUPPRESSED);
    },
  ),
);
