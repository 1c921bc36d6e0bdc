/** Whether a row of `runs`, named `r`, is an export to an application. */
export const IS_TO_APPLICATION = `coalesce(r.definition::json #>> '{exports,destination,kind}' = 'application', false)`;
