/** Source: Excel, names of sheets. */
export const MAX_SHEET = 31;

/** No name of a sheet has other characters. Source: Excel. */
export const SHEET = /^[^*/:?[\]\\']([^*/:?[\]\\]*[^*/:?[\]\\'])?$/;

/** {@link SHEET} in words. */
export const SHEET_RULE = "must hold none of * / : ? [ \\ ], and no ' at either end";
