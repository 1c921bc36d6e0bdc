import fc from 'fast-check';
import { keyStep, withoutKeys } from './key-step';

const path = fc.array(
  fc.oneof(
    fc.record({ key: fc.string({ unit: 'binary' }) }),
    fc.record({ text: fc.constantFrom('.name', '[12]') }),
  ),
);

it('leaves out keys and nothing else, whatever they are', () => {
  fc.assert(
    fc.property(path, (steps) => {
      const shown = (ofKey: (key: string) => string): string =>
        `phones${steps.map((each) => ('key' in each ? ofKey(each.key) : each.text)).join('')}: required`;
      expect(withoutKeys(shown(keyStep))).toBe(shown(() => '[…]'));
    }),
  );
});

it('leaves out a key that is cut off', () => {
  const whole = `phones${keyStep('+49 "30" \\ 1234')}`;
  for (let length = 'phones["'.length; length <= whole.length; length += 1)
    expect(withoutKeys(`${whole.slice(0, length)}…`)).toMatch(/^phones\[…\]…?$/);
});
