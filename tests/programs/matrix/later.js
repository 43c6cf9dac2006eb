exports.twice = function (value) {
    const result = value * 2; // mark: later
    return result;
};
