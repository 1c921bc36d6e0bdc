import { execFileSync } from 'node:child_process';
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

it('is that which any tool computes over the text that is described', () => {
  const text =
    `["${CHAIN_START}",7,"w1","pen-1",2,"Noted",1,"2026-03-01T09:30:00.000Z","key-1","r","c",` +
    `"{\\"note\\":\\"\\\\u0000 é \\\\\\"x\\\\\\"\\"}"]`;
  const [sum] = execFileSync('sha256sum', { input: text }).toString().split(' ');
  expect(chainHash(CHAIN_START, FACT, DATA)).toBe(sum);
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
