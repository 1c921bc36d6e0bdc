import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, parseJson } from '@penstock/schema';
import { asObject } from './members';

/** A case file, without loss. @throws Error naming the file. */
export const readCaseFile = async (folder: string, name: string): Promise<JsonObject> => {
  try {
    return asObject(parseJson(await readFile(join(folder, name), 'utf8')));
  } catch (cause) {
    throw new Error(`${name} cannot be read: ${String(cause)}`, { cause });
  }
};
