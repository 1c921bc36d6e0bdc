import type { RawRequest } from '../harness/raw-request';
import { expectRefused, NONE, type Refused } from './refusal';
import type { Json, World } from './world';

/** A test of a row; fails by throwing. */
export type Run = (world: World) => Promise<void>;

/** Rows of the reference by name, each with its test or its cases. */
export type Table = Readonly<Record<string, Run | Readonly<Record<string, Run>>>>;

/** Checks that the request is refused as given. */
export const refuses =
  (call: string, request: RawRequest, refused: Refused): Run =>
  async (world) => {
    expectRefused(await world.ask(call, request), refused);
  };

/**
 * Checks that the request succeeds.
 *
 * @param expected part of the body; absent: there is no body.
 */
export const answers =
  (call: string, request: RawRequest = NONE, expected?: Json): Run =>
  async (world) => {
    const { status, text, json } = await world.ask(call, request);
    expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
    if (expected === undefined) expect(text).toBe('');
    else expect(json).toMatchObject(expected);
  };
