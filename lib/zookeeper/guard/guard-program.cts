import path = require('node:path');

/**
 * The file that a crash guard runs. The package is CommonJS and the programs of the repository are ES modules: only a
 * module that is CommonJS in both can say where it is.
 */
export = path.join(__dirname, 'guard-process.js');
