import { randomBytes } from 'node:crypto';

const CORE_BYTES = 12;

/**
 * The part of a text's base64 that does not depend on its neighbours, when it begins at this offset in a group of 3.
 */
const inBase64 = (text: string, offset: number): string => {
  const encoded = Buffer.from('\0'.repeat(offset) + text).toString('base64');
  const bits = 8 * (offset + text.length);
  return encoded.slice(Math.ceil((8 * offset) / 6), Math.floor(bits / 6));
};

/** All encodings of letters and digits; encoders of URLs, JSON and HTML do not change them. */
const waysToWrite = (text: string): readonly string[] => {
  const base64 = [0, 1, 2].map((offset) => inBase64(text, offset));
  const hex = Buffer.from(text).toString('hex');
  const urlSafe = base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([text, ...base64, ...urlSafe, hex, hex.toUpperCase()])];
};

/** Secret texts, and a search for them in any encoding. */
export class PlantedSecrets {
  private readonly written = new Map<string, readonly string[]>();

  /**
   * Creates a secret. The search uses a part of letters and digits, so that it is found however the rest is escaped.
   *
   * @param around builds the secret around that part.
   */
  plant(name: string, around = (core: string): string => `p"l\\a/n+t=e<d>&%-${core}-end`): string {
    const core = randomBytes(CORE_BYTES).toString('hex');
    this.know(name, core);
    return around(core);
  }

  /** Adds an existing secret, which should consist of letters and digits. */
  know(name: string, secret: string): string {
    this.written.set(name, waysToWrite(secret));
    return secret;
  }

  /** Names of the secrets in the text, in any encoding. */
  in(text: string): string[] {
    return [...this.written].flatMap(([name, ways]) =>
      ways.some((way) => text.includes(way)) ? [name] : [],
    );
  }

  /** `<name> in <place>` for each secret that was found. */
  inPlaces(places: Iterable<readonly [place: string, text: string]>): string[] {
    return [...places].flatMap(([place, text]) =>
      this.in(text).map((name) => `${name} in ${place}`),
    );
  }
}
