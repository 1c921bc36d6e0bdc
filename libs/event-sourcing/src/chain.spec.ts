import { CHAIN_START, chainHash } from './chain';

const FACT = {
  position: 7,
  owner: 'w1',
  stream: 'pen-1',
  version: 2,
  type: 'Noted',
  schemaVersion: 1,
  time: '2026-03-01T09:30:00.000Z',
  actor: 'key-1',
  requestId: 'r',
  causation: 'c',
};
const DATA = '{"note":"\\u0000 é \\"x\\""}';

/** Result of `sha256sum` for the text ["000…0",7,"w1","pen-1",2,…,"c","{\\"note\\":…}"]. */
const SUM = 'd3ac8274bef5e0f819f432de3e105182ffed621166dd0b5701996b6ea194ec12';

it('equals what sha256sum computes over the documented text', () => {
  expect(chainHash(CHAIN_START, FACT, DATA)).toBe(SUM);
});

it('changes with every member', () => {
  const own = chainHash(CHAIN_START, FACT, DATA);
  const others = Object.entries(FACT).map(([name, value]) =>
    chainHash(
      CHAIN_START,
      { ...FACT, [name]: typeof value === 'number' ? value + 1 : `${value}.` },
      DATA,
    ),
  );
  const all = [own, ...others, chainHash(own, FACT, DATA), chainHash(CHAIN_START, FACT, '{}')];
  expect(new Set(all).size).toBe(all.length);
});
