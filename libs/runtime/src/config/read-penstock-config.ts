import { PENSTOCK_RULES, PENSTOCK_VARIABLES, type PenstockConfig } from './penstock-variables';
import { type Config, readConfig, type Source, type Variables } from './read-config';
import { SERVICE_VARIABLE_NAMES } from './service-variable-names';
import { unknownVariables } from './unknown-variables';

/**
 * Reads the variables of a process of Penstock: those of every process, and its own. Variables that begin with `PENSTOCK_`
 * and that no service knows are refused.
 *
 * @param own variables of this service alone, whose names are in `SERVICE_VARIABLE_NAMES`.
 * @param folder see {@link readConfig}.
 * @throws ConfigurationError naming every fault.
 */
export const readPenstockConfig = <Own extends Variables>(
  env: Source,
  own: Own,
  folder?: string,
): PenstockConfig & Config<Own> => {
  const table = { ...own, ...PENSTOCK_VARIABLES };
  const known = [...Object.keys(table), ...SERVICE_VARIABLE_NAMES];
  return readConfig(env, table, PENSTOCK_RULES, {
    ...(folder !== undefined && { folder }),
    faultsIn: (source) => unknownVariables(source, known),
  });
};
