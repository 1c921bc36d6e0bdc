import {
  PENSTOCK_RULES,
  PENSTOCK_VARIABLES,
  type PenstockConfig,
  secretIsGiven,
} from './penstock-variables';
import {
  type Config,
  readConfig,
  type ReadOptions,
  type Source,
  type Variables,
} from './read-config';
import { SERVICE_VARIABLE_NAMES } from './service-variable-names';
import { unknownVariables } from './unknown-variables';

/** Options of {@link readPenstockConfig}. */
export interface ReadPenstockOptions extends Pick<ReadOptions, 'folder'> {
  /** Whether `DATABASE_URL` requires `PENSTOCK_SECRET`; default: it does. */
  readonly needsSecret?: boolean;
}

/**
 * Reads the variables of a process of Penstock: those of every process, and its own. Variables that begin with
 * `PENSTOCK_` and that no service knows are refused.
 *
 * @param own variables of this service alone, whose names are in `SERVICE_VARIABLE_NAMES`.
 * @throws ConfigurationError naming every fault.
 */
export const readPenstockConfig = <Own extends Variables>(
  env: Source,
  own: Own,
  { needsSecret = true, ...options }: ReadPenstockOptions = {},
): PenstockConfig & Config<Own> => {
  const table = { ...PENSTOCK_VARIABLES, ...own };
  const known = [...Object.keys(table), ...SERVICE_VARIABLE_NAMES];
  const rules = PENSTOCK_RULES.filter((rule) => needsSecret || rule !== secretIsGiven);
  return readConfig(env, table, rules, {
    ...options,
    faultsIn: (source) => unknownVariables(source, known),
  });
};
