import { unmappedProperties } from './keys';
import { schemaOf } from './trial.fixture';

const TEXT = { kind: 'string' };
const OUTPUT = schemaOf(
  { name: 'a', type: TEXT },
  {
    name: 'q',
    type: {
      kind: 'object',
      properties: [
        { name: 'x', type: TEXT },
        { name: 'z', type: { kind: 'object', properties: [{ name: 'w', type: TEXT }] } },
      ],
    },
  },
);

it.each<[keys: string[], unmapped: string[]]>([
  [[], ['a', 'q']],
  [['a'], ['q']],
  [['a', 'q'], []],
  [['a', 'q.x'], ['q.z']],
  [['q.z.w'], ['a', 'q.x']],
  [['a', 'q.x', 'q.z'], []],
  [['a', 'q.x', 'q.z.w'], []],
])('with %j, leaves %j unmapped', (keys, unmapped) => {
  expect(unmappedProperties(new Map(keys.map((key) => [key, 's'])), OUTPUT)).toEqual(unmapped);
});
