import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, parseJson } from '@penstock/schema';
import { asObject } from './members';

/** Reads a case file without loss of digits. @throws Error with the file's name. */
export const readCaseFile = async (folder: string, name: string): Promise<JsonObject> => {
  try {
    return asObject(parseJson(await readFile(join(folder, name), 'utf8')));
  } catch (cause) {
    throw new Error(`${name} cannot be read: ${String(cause)}`, { cause });
  }
};
