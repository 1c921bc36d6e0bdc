import { readdir } from 'node:fs/promises';
import { type CaseList } from './case';
import { listsOf, unknown } from './case-file';
import { EVENTS_FILE, PURE_FILES } from './case-files';
import { eventsFile, peerOf } from './events-file';
import { readCaseFile } from './read-case-file';
import { type ListResult, runList } from './run-list';
import { withIntake } from './with-intake';

const runLists = async (lists: readonly CaseList[]): Promise<ListResult[]> => {
  const results: ListResult[] = [];
  for (const list of lists) results.push(await runList(list));
  return results;
};

const runEvents = async (folder: string): Promise<ListResult[]> => {
  const file = await readCaseFile(folder, EVENTS_FILE);
  return withIntake(peerOf(file), (stand) =>
    runLists(listsOf(EVENTS_FILE, file, eventsFile(stand))),
  );
};

const runFile = async (folder: string, name: string): Promise<ListResult[]> => {
  if (name === EVENTS_FILE) return runEvents(folder);
  const lists = PURE_FILES.get(name);
  if (!lists) return runLists([unknown(name, 'no case file of this name is known')]);
  return runLists(lists(name, await readCaseFile(folder, name)));
};

/** Runs the JSON files of a folder one after the other; a file that cannot be run is a failure. */
export async function* runFolder(folder: string): AsyncGenerator<ListResult> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  for (const name of names) {
    try {
      yield* await runFile(folder, name);
    } catch (error) {
      yield { name, passed: 0, differences: [`${name}\n${String(error)}`] };
    }
  }
}
