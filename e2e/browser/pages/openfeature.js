// Lives with the packages that it needs.
import "../../openfeature-js/page.js";
