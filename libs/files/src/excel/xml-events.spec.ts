import { pieces } from '../testing.fixture';
import { readXml } from './xml-events';

/** Reads a text. @returns the greatest depth that was told. */
const depthOf = async (text: string): Promise<number> => {
  let depth = 0;
  let greatest = 0;
  await readXml(pieces(Buffer.from(text)), {
    onOpen: () => {
      depth += 1;
      greatest = Math.max(greatest, depth);
    },
    onText: () => undefined,
    onClose: () => {
      depth -= 1;
    },
  });
  return greatest;
};

const nested = (depth: number): string => '<a>'.repeat(depth) + '</a>'.repeat(depth);

const withAttributes = (count: number): string =>
  `<a ${Array.from({ length: count }, (_, index) => `b${String(index)}=""`).join(' ')}/>`;

it('tells elements down to a depth of 64', async () => {
  expect(await depthOf(`<r>${nested(63).repeat(3)}</r>`)).toBe(64);
});

it.each([
  ['closed', nested(65)],
  ['cut off', '<a>'.repeat(10_000)],
])('refuses elements that are nested deeper, %s', async (_, text) => {
  await expect(depthOf(text)).rejects.toMatchObject({
    name: 'FileFault',
    kind: 'InvalidFile',
    message: 'holds XML of more than 64 nested elements',
  });
});

it('tells elements of up to 1,000 attributes', async () => {
  expect(await depthOf(`<r>${withAttributes(1_000).repeat(2)}</r>`)).toBe(2);
});

it('refuses an element of more attributes', async () => {
  await expect(depthOf(withAttributes(1_001))).rejects.toMatchObject({
    name: 'FileFault',
    kind: 'InvalidFile',
    message: 'holds an XML element of more than 1000 attributes',
  });
});
