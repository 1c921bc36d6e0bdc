import {
  type AlertChange,
  type AlertId,
  type AlertState,
  type ConnectionId,
  type NewAlert,
  type PipelineId,
  type WorkspaceId,
} from '@penstock/contracts';
import { specify } from '@penstock/event-sourcing';
import { alertDecider } from './alert.decide';

const { given } = specify(alertDecider);

const change: AlertChange = {
  name: 'Shop rejects',
  enabled: true,
  connection: null,
  pipeline: 'p' as PipelineId,
  threshold: 10,
  window: 5,
  webhook: 'sealed',
};
const alert: NewAlert = {
  ...change,
  id: 'a' as AlertId,
  workspace: 'w' as WorkspaceId,
  alertKind: 'deadLetterRate',
};
const created = { type: 'AlertCreated', data: alert } as const;
const deleted = { type: 'AlertDeleted', data: {} } as const;
const create = { type: 'CreateAlert', alert } as const;

it('creates an alert once', () => {
  given().when(create).then(created);
  given(created).when(create).thenNothing();
});

it.each<Partial<AlertChange>>([
  { name: 'Other' },
  { enabled: false },
  { pipeline: null },
  { connection: 'c' as ConnectionId },
  { threshold: 20 },
  { window: 60 },
  { webhook: 'other' },
])('records the change %j', (part) => {
  const data = { ...change, ...part };
  given(created).when({ type: 'UpdateAlert', change: data }).then({ type: 'AlertUpdated', data });
});

it('records no update that changes nothing', () => {
  given(created).when({ type: 'UpdateAlert', change }).thenNothing();
});

it('deletes an alert', () => {
  given(created).when({ type: 'DeleteAlert' }).then(deleted);
});

it.each([[], [created, deleted]])('refuses changes of what is not there', (...facts) => {
  given(...facts)
    .when({ type: 'UpdateAlert', change })
    .thenRefused('AlertNotExist');
  given(...facts)
    .when({ type: 'DeleteAlert' })
    .thenRefused('AlertNotExist');
});

it('has the members of its newest facts, and the number of them as its version', () => {
  const data = { ...change, name: 'Other', enabled: false };
  const states = [created, { type: 'AlertUpdated', data } as const, deleted].reduce<
    (AlertState | null)[]
  >((all, fact) => [...all, alertDecider.evolve(all.at(-1) ?? null, fact)], []);
  const whole = { ...alert, kind: 'alert', version: 1, deleted: false };
  expect(states).toEqual([
    whole,
    { ...whole, ...data, version: 2 },
    { ...whole, ...data, version: 3, deleted: true },
  ]);
});
