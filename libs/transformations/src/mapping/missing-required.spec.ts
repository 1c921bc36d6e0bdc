import type { Value } from '@penstock/schema';
import { missingRequired } from './missing-required';
import type { Purpose } from './purpose';
import { recordOf, typeOf } from './trial.fixture';

const OBJECT = {
  kind: 'object',
  properties: [
    { name: 'c', type: { kind: 'string' }, createRequired: true },
    { name: 'u', type: { kind: 'string' }, updateRequired: true, nullable: true },
    {
      name: 'inner',
      type: {
        kind: 'object',
        properties: [{ name: 'x', type: { kind: 'string' }, createRequired: true }],
      },
    },
  ],
};

const whole = recordOf({ c: 'c' });
const lacking = recordOf({ u: null });

it.each<
  [
    what: string,
    type: object,
    purpose: Purpose,
    value: NonNullable<Value>,
    missing: string | undefined,
  ]
>([
  ['nothing for no purpose', OBJECT, 'None', lacking, undefined],
  ['nothing that is there', OBJECT, 'Create', whole, undefined],
  ['what Create requires', OBJECT, 'Create', lacking, '.c'],
  ['what Update requires', OBJECT, 'Update', whole, '.u'],
  ['nothing that may be null', OBJECT, 'Update', lacking, undefined],
  ['what lies deeper', OBJECT, 'Create', recordOf({ c: '', inner: recordOf({}) }), '.inner.x'],
  ['nothing in a null', OBJECT, 'Create', recordOf({ c: '', inner: null }), undefined],
  ['in arrays', { kind: 'array', elementType: OBJECT }, 'Create', [whole, lacking], '[1].c'],
  ['in maps', { kind: 'map', elementType: OBJECT }, 'Create', new Map([['k', lacking]]), '["k"].c'],
  [
    'in arrays of scalars',
    { kind: 'array', elementType: { kind: 'date' } },
    'Create',
    ['2024-01-01'],
    undefined,
  ],
])('finds %s', (_what, type, purpose, value, missing) => {
  expect(missingRequired(typeOf(type), purpose)?.(value)).toBe(missing);
});
