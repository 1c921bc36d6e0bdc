import type { Json } from './json';
import { parseJson } from './parse-json';
import { writeJson } from './write-json';

/** A value of kind json: its compact text as it came, member order and the text of numbers kept. */
export class JsonText {
  /** Truly private, so that two texts are equal whether or not somebody has looked inside. */
  #parsed: Json | undefined;

  private constructor(readonly text: string) {}

  /** @param text compact and already known to be good JSON: not checked again. */
  static trusted(text: string): JsonText {
    return new JsonText(text);
  }

  static of(json: Json): JsonText {
    const value = new JsonText(writeJson(json));
    value.#parsed = json;
    return value;
  }

  /** Parsed at the first look, then kept. */
  get value(): Json {
    this.#parsed ??= parseJson(this.text);
    return this.#parsed;
  }
}
