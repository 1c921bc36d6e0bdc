/** HTML page that displays the document with Swagger UI; it loads its parts from the same server. */
export const DOCUMENT_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Penstock API</title>
<link rel="stylesheet" href="/v1/docs/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="/v1/docs/swagger-ui-bundle.js"></script>
<script src="/v1/docs/page.js"></script>
</body>
</html>
`;

/**
 * Parameters begin empty: Swagger UI would fill in those that are objects, with values that it makes of their schemas.
 */
export const PAGE_SCRIPT = `const emptyParameters = () => ({
  wrapComponents: {
    parameterRow: (ParameterRow, { React }) => (props) =>
      React.createElement(ParameterRow, { ...props, fn: { ...props.fn, getSampleSchema: () => null } }),
  },
});
SwaggerUIBundle({
  plugins: [emptyParameters],
  url: '/v1/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;
