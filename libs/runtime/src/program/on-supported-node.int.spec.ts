import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { unsupportedNode } from './on-supported-node';

const { engines } = JSON.parse(
  readFileSync(resolve(__dirname, '..', '..', '..', '..', 'package.json'), 'utf8'),
) as { engines: { node: string } };

it.each(['v20.19.0', 'v20.20.1', 'v22.0.0', 'v100.0.0'])('supports %s', (version) => {
  expect(unsupportedNode(version)).toBeUndefined();
});

it.each(['v20.18.9', 'v18.20.8', 'v9.99.0'])(
  'refuses %s, and names the least version',
  (version) => {
    expect(unsupportedNode(version)).toBe(
      `Penstock needs Node ${engines.node.slice(2)} or later, this is ${version}: install a newer one from https://nodejs.org`,
    );
  },
);
