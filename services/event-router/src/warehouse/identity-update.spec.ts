import { eventCodec } from '@penstock/contracts';
import { newRecord, parseJson, parseSchema } from '@penstock/schema';
import { identityUpdate } from './identity-update';

const text = (name: string) => ({ name, type: { kind: 'string' }, readOptional: true });
const ADDRESS = { kind: 'object', properties: [text('city'), text('street')] };
const SCHEMA = parseSchema(
  parseJson(
    JSON.stringify({
      kind: 'object',
      properties: [text('email'), text('phone'), { name: 'address', type: ADDRESS }],
    }),
  ),
);

const TIME = '2026-03-01T09:30:00.123Z';

const event = (members: object) =>
  eventCodec.parse(
    JSON.stringify({
      ...{ connectionId: 'source000000001', anonymousId: 'a', messageId: 'm', type: 'identify' },
      ...{ receivedAt: TIME, sentAt: TIME, originalTimestamp: TIME, timestamp: TIME, traits: {} },
      ...members,
    }),
  );

const COMMON = {
  kind: 'event',
  updatedAtUs: BigInt(Date.parse(TIME)) * 1_000n,
  tieBreaker: 'm',
  values: newRecord(),
};

it('is known by its user id, and links the anonymous id', () => {
  expect(identityUpdate(event({ userId: 'u' }), null, null)).toEqual({
    ...COMMON,
    ...{ recordId: 'u', anonymous: false, anonymousId: 'a' },
  });
});

it('is anonymous without a user id', () => {
  expect(identityUpdate(event({}), null, null)).toEqual({
    ...COMMON,
    ...{ recordId: 'a', anonymous: true },
  });
});

it('links the previous id of an alias event only', () => {
  const alias = event({ type: 'alias', userId: 'u', previousId: 'p' });
  expect(identityUpdate(alias, null, null)).toMatchObject({ recordId: 'u', previousId: 'p' });
  const other = event({ type: 'identify', userId: 'u', previousId: 'p' });
  expect(identityUpdate(other, null, null)).not.toHaveProperty('previousId');
});

it('has what the transformation has given, without null', () => {
  const inner = Object.assign(newRecord(), { city: 'Rome', street: null });
  const values = Object.assign(newRecord(), { email: 'a@b', phone: null, address: inner });
  expect(identityUpdate(event({}), values, SCHEMA).values).toEqual({
    email: 'a@b',
    address: { city: 'Rome' },
  });
});

it.each(['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])('takes the time %s', (time) => {
  expect(identityUpdate(event({ timestamp: time }), null, null).updatedAtUs).toBe(
    BigInt(Date.parse(time)) * 1_000n,
  );
});
