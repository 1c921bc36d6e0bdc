import { Refusal } from './refusals';

it('says of a target that is taken what the list of codes says', () => {
  expect(new Refusal('TargetExist').message).toBe(
    'connection already has a pipeline for this target',
  );
});
