import type { ConnectionId } from '@penstock/contracts';
import { isOptedOut } from './opt-outs';

const destination = {
  lane: 'destination0001' as ConnectionId,
  connector: 'amplitude',
  label: 'Amplitude',
};

it.each([
  ['nothing was chosen', null, false],
  ['nothing is kept from it', {}, false],
  ['others are named', { Mixpanel: false }, false],
  ['its id is', { destination0001: false }, true],
  ['its connector is', { amplitude: false }, true],
  ['its label is', { Amplitude: false }, true],
  ['its label is in other letters', { AMPLITUDE: false }, false],
  ['all are', { All: false }, true],
  ['all are but itself', { All: false, Amplitude: true }, false],
  ['it is, but not all', { All: true, Amplitude: false }, true],
  ['all are meant', { All: true }, false],
  ['its id and its label disagree', { destination0001: true, Amplitude: false }, false],
  ['its connector and its label disagree', { amplitude: false, Amplitude: true }, true],
])('when %s', (_, integrations, optedOut) => {
  expect(isOptedOut(integrations, destination)).toBe(optedOut);
});

it('ignores names of Object.prototype', () => {
  const strange = { ...destination, label: 'constructor' };
  expect(isOptedOut({ Other: false }, strange)).toBe(false);
  expect(isOptedOut(JSON.parse('{"constructor":false}') as never, strange)).toBe(true);
});
