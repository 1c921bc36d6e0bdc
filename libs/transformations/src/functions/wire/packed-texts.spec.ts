import { ProtocolError } from './frames';
import { packTexts, unpackTexts } from './packed-texts';

const textsOf = (packed: Uint8Array): string[] =>
  [...unpackTexts(packed)].map((bytes) => bytes.toString());

it.each([[[]], [['']], [['{}', '', 'é€😀', 'x'.repeat(70_000)]]])('restores %j', (texts) => {
  expect(textsOf(packTexts(texts))).toEqual(texts);
});

it('unpacks a view of a larger buffer', () => {
  const packed = packTexts(['a', 'b']);
  const larger = Buffer.concat([Buffer.from('before'), packed, Buffer.from('after')]);
  expect(textsOf(larger.subarray(6, 6 + packed.length))).toEqual(['a', 'b']);
});

it.each([1, 3, 4, 6])(
  'refuses a text that lacks %i bytes, and returns those before it',
  (missing) => {
    const packed = packTexts(['whole', 'cut']);
    const read = (): void => {
      for (const bytes of unpackTexts(packed.subarray(0, packed.length - missing)))
        texts.push(bytes.toString());
    };
    const texts: string[] = [];
    expect(read).toThrow(ProtocolError);
    expect(texts).toEqual(['whole']);
  },
);
