import { createConnectors, type DummyStore } from '@penstock/connectors';
import { type ConnectionRole, Refusal } from '@penstock/contracts';
import { ConnectionDeliveries } from './connection-delivery';

const DAY_SECONDS = 86_400;

const deliveries = new ConnectionDeliveries(3 * DAY_SECONDS * 1_000);
const connectors = createConnectors({ dummyStore: {} as DummyStore });

const refusalOf = (check: () => void): Refusal | undefined => {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
};

describe.each([
  ['http', 'Destination', true],
  ['dummy', 'Destination', true],
  ['dummy', 'Source', false],
  ['nodejs', 'Source', false],
  ['webhook', 'Source', false],
] as const)('on %s as %s', (code, role: ConnectionRole, isTaken) => {
  const connector = connectors.get(code);
  if (connector === undefined) throw new Error(`there is no connector ${code}`);

  it.each([{}, { ordering: 'key' }, { timeoutSeconds: 1 }] as const)('%j', (delivery) => {
    const refusal = refusalOf(() => {
      deliveries.checkKind(delivery, connector, role);
    });
    if (isTaken) expect(refusal).toBeUndefined();
    else expect(refusal).toMatchObject({ code: 'BadRequest', details: [{ path: '/delivery' }] });
  });

  it.each([null, undefined])('%s is always accepted', (none) => {
    deliveries.checkKind(none, connector, role);
  });
});

describe('with a retention of events of three days', () => {
  it.each([undefined, null, {}, { maxAgeSeconds: 60 }, { maxAgeSeconds: 2 * DAY_SECONDS }])(
    'takes %j',
    (delivery) => {
      deliveries.checkAge(delivery);
    },
  );

  it.each([2 * DAY_SECONDS + 1, 3 * DAY_SECONDS, Number.MAX_SAFE_INTEGER])(
    'refuses an age of %d s, and names the limit',
    (maxAgeSeconds) => {
      expect(
        refusalOf(() => {
          deliveries.checkAge({ maxAgeSeconds });
        }),
      ).toMatchObject({
        code: 'InvalidSettings',
        details: [
          {
            path: '/delivery/maxAge',
            message: expect.stringContaining(String(2 * DAY_SECONDS)) as string,
          },
        ],
      });
    },
  );
});
