import { randomBytes } from 'node:crypto';

const CORE_BYTES = 12;

/** What of a text's base64 does not depend on its neighbours, when it begins so many bytes into a group of three. */
const inBase64 = (text: string, offset: number): string => {
  const encoded = Buffer.from('\0'.repeat(offset) + text).toString('base64');
  const bits = 8 * (offset + text.length);
  return encoded.slice(Math.ceil((8 * offset) / 6), Math.floor(bits / 6));
};

/** Every way in which letters and digits are written: encoders of URLs, JSON and HTML leave them alone. */
const waysToWrite = (text: string): readonly string[] => {
  const base64 = [0, 1, 2].map((offset) => inBase64(text, offset));
  const hex = Buffer.from(text).toString('hex');
  const urlSafe = base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([text, ...base64, ...urlSafe, hex, hex.toUpperCase()])];
};

/** Texts that may be nowhere but where they belong. */
export class PlantedSecrets {
  private readonly written = new Map<string, readonly string[]>();

  /**
   * A new secret. It is looked for by a part of letters and digits, so that it is found however the rest is escaped.
   *
   * @param around what else stands in the secret.
   */
  plant(name: string, around = (core: string): string => `p"l\\a/n+t=e<d>&%-${core}-end`): string {
    const core = randomBytes(CORE_BYTES).toString('hex');
    this.know(name, core);
    return around(core);
  }

  /** One that somebody else made, of letters and digits for the most part. */
  know(name: string, secret: string): string {
    this.written.set(name, waysToWrite(secret));
    return secret;
  }

  /** Names of those that stand in the text, in whatever form. */
  in(text: string): string[] {
    return [...this.written].flatMap(([name, ways]) =>
      ways.some((way) => text.includes(way)) ? [name] : [],
    );
  }

  /** `<name> in <place>` of each that was found. */
  inPlaces(places: Iterable<readonly [place: string, text: string]>): string[] {
    return [...places].flatMap(([place, text]) =>
      this.in(text).map((name) => `${name} in ${place}`),
    );
  }
}
