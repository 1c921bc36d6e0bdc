import { checkedBy } from '@penstock/settings';
import { Invalid, parseJson } from '@penstock/schema';
import { formatOf } from './testing.fixture';

/** Where settings of a format are wrong. */
export const badPaths = (code: string, settings: object): string[] => {
  try {
    checkedBy(formatOf(code).settings)(parseJson(JSON.stringify(settings)));
    return [];
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return error.issues.map(({ path }) => path);
  }
};
