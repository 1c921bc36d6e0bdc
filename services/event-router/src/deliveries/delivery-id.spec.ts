import type { PipelineId } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import fc from 'fast-check';
import { deliveryId, deliveryPlace } from './delivery-id';

const NEW = '0mfbx3k2abcdefghij12' as PipelineId;
const OLD = 'pipeline_A-01' as PipelineId;

it.each([
  { partition: 0, offset: 0, pipeline: '00000000000000000000' as PipelineId },
  { partition: 1_023, offset: 10 ** 12, pipeline: 'zzzzzzzzzzzzzzzzzzzz' as PipelineId },
  { partition: 7, offset: -(10 ** 12), pipeline: NEW },
])('is 16 to 26 URL-safe characters for %j', (place) => {
  const id = deliveryId(place);
  expect(id).toMatch(/^[0-9A-Za-z]{16,26}$/);
  expect(deliveryPlace(id)).toEqual(place);
});

it('names one delivery each', () => {
  const place = fc.record({
    partition: fc.integer({ min: 0, max: 1_023 }),
    offset: fc.maxSafeInteger(),
    pipeline: fc.oneof(
      fc.constantFrom(NEW, OLD),
      fc.constant(null).map(newId),
    ) as fc.Arbitrary<PipelineId>,
  });
  fc.assert(
    fc.property(place, (one) => {
      expect(deliveryPlace(deliveryId(one))).toEqual(one);
    }),
  );
});

it.each([
  '',
  'x',
  '0'.repeat(15),
  '0'.repeat(17),
  `0${deliveryId({ partition: 1, offset: 5, pipeline: NEW })}`,
  'z'.repeat(30),
  '01-5-pipeline_A-01',
  '1-m0-pipeline_A-01',
  `1-5-${NEW}`,
  'übergrößenträger0',
])('is not %j', (text) => {
  expect(deliveryPlace(text)).toBeUndefined();
});
