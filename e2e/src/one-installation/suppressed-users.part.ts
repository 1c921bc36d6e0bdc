import { ApiClient } from '../harness/api-client';
import { makeFlow } from '../harness/flow';
import { showingOutput } from '../harness/installation';
import { Receiver } from '../harness/receiver';
import { until } from '../harness/until';
import type { Place } from './place';

const FILTER = {
  logical: 'and',
  conditions: [{ property: 'type', operator: 'is', values: ['track'] }],
};
/** A user id with a space, which no id of Penstock has. */
const SUPPRESSED = 'Ada Lovelace';
const MAPPING = 'map("key", userId, "number", properties.number)';

let receiver: Receiver;

/** Users whose events are not processed. */
export const suppressedUsers = (place: () => Place): void => {
  beforeAll(async () => {
    receiver = await Receiver.open();
  });

  afterAll(() => receiver.close());

  it(
    'filters the events of a suppressed user from the answer on, until the suppression ends',
    showingOutput(
      () => place().installation,
      async () => {
        const { address, apiKey } = place().installation;
        const { api, id: workspace } = await place().newWorkspace('Suppressed users');
        const flow = { url: receiver.url, filter: FILTER, mapping: MAPPING };
        const sender = new ApiClient(
          address,
          (await makeFlow({ address, apiKey, workspace }, flow)).writeKey,
        );
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
};
